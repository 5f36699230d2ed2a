import { describe, expect, it } from "vitest";
import { GROUND, groupColour, KINDS, PREDICATES, type Theme, TYPES } from "../src/map/palette";
import { GROUP_ORDER } from "../src/graph/groups";

type Triple = [number, number, number];

/** Source: Machado, Oliveira, Fernandes 2009, severity 1.0. */
const SIGHTS: Record<string, Triple[]> = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function linear(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

function through(matrix: Triple[], colour: Triple): Triple {
  return matrix.map((row) => Math.min(1, Math.max(0, row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2]))) as Triple;
}

function contrast(a: string, b: string): number {
  const light = (hex: string): number => {
    const [r, g, blue] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05;
  };
  return Math.max(light(a) / light(b), light(b) / light(a));
}

function lab([r, g, b]: Triple): Triple {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(a: string, b: string, sight: Triple[]): number {
  const [one, two] = [lab(through(sight, linear(a))), lab(through(sight, linear(b)))];
  return Math.hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
}

describe.each(["light", "dark"] as Theme[])("the %s palette", (theme) => {
  const types = Object.entries(TYPES).map(([name, colour]) => [name, { colour }] as const);
  const sectors = GROUP_ORDER.map((name) => [name, { colour: { [theme]: groupColour(name, theme) } as Record<Theme, string> }] as const);
  const looks = [...Object.entries(KINDS), ...Object.entries(PREDICATES), ...types, ...sectors];

  it.each(looks.map(([name, look]) => [name, look.colour[theme]]))("shows %s clearly on the ground", (_, colour) => {
    expect(contrast(colour as string, GROUND[theme])).toBeGreaterThanOrEqual(3);
  });

  it.each(Object.entries(SIGHTS))("keeps kinds apart, and predicates apart, in %s sight", (_, sight) => {
    for (const group of [KINDS, PREDICATES]) {
      const colours = Object.values(group).map((look) => look.colour[theme]);
      for (const [index, a] of colours.entries()) for (const b of colours.slice(0, index)) expect(distance(a, b, sight)).toBeGreaterThanOrEqual(9);
    }
  });
});

describe("without colour", () => {
  it("kinds differ by shape, and predicates by line or arrow", () => {
    expect(new Set(Object.values(KINDS).map((look) => look.shape)).size).toBe(Object.keys(KINDS).length);
    expect(new Set(Object.values(PREDICATES).map((look) => `${look.line} ${String(look.arrow)}`)).size).toBe(Object.keys(PREDICATES).length);
  });
});
