/** Save files in the browser; nothing is sent. */

import type { Drawing } from "./drawing";

/** The largest canvas that all browsers can draw. */
const SIDE_MAX_PX = 8_192;
const AREA_MAX_PX = 16_000_000;
const SHARP = 2;
const KEPT_MS = 60_000;

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Return the pixels per unit of the drawing, at most two. */
export function sharpness(width: number, height: number): number {
  return Math.min(SHARP, SIDE_MAX_PX / Math.max(width, height), Math.sqrt(AREA_MAX_PX / (width * height)));
}

/** @throws Error if the browser cannot draw it. */
export async function pngOf({ svg, width, height }: Drawing): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = sharpness(width, height);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.floor(width * scale));
    canvas.height = Math.max(1, Math.floor(height * scale));
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const found = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!found) throw new Error(`${canvas.width} × ${canvas.height}`);
    return found;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Return a file name that every file system accepts. */
export function fileName(parts: readonly (string | null)[], ending: string): string {
  const plain = parts.filter((part): part is string => part !== null && part !== "").map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60));
  return `${plain.join("-")}.${ending}`;
}
