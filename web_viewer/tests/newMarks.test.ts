import { expect, it } from "vitest";
import { MARKED_MS, NewMarks } from "../src/map/newMarks";

it("marks of new things fade one after the other, and one that was looked at is marked again when it changes", () => {
  const marks = new NewMarks();
  expect(marks.at(["tea"], 0)).toEqual({ marked: new Set(["tea"]), nextMs: MARKED_MS });
  expect(marks.at(["tea", "cup"], 10_000)).toEqual({ marked: new Set(["tea", "cup"]), nextMs: MARKED_MS });
  expect(marks.at(["tea", "cup"], MARKED_MS)).toEqual({ marked: new Set(["cup"]), nextMs: MARKED_MS + 10_000 });
  expect(marks.at(["tea", "cup"], MARKED_MS + 10_000)).toEqual({ marked: new Set(), nextMs: null });
  marks.at([], MARKED_MS + 11_000);
  expect(marks.at(["tea"], MARKED_MS + 12_000).marked).toEqual(new Set(["tea"]));
});
