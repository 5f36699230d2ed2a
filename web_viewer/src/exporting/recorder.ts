/** Record a canvas as WebM, in real time. */

const BITS_PER_SECOND = 5_000_000;
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/** Return the type of video that this browser records; null if it records none. */
export function videoType(): string | null {
  if (typeof MediaRecorder === "undefined" || typeof HTMLCanvasElement.prototype.captureStream !== "function") return null;
  return TYPES.find((type) => MediaRecorder.isTypeSupported(type)) ?? null;
}

export interface Recording {
  canvas: HTMLCanvasElement;
  type: string;
  fps: number;
  frames: number;
  draw(frame: number): void;
  onProgress(share: number): void;
  signal: AbortSignal;
}

/**
 * Record frames at their pace; a busy browser leaves some out.
 *
 * @returns null if it was cancelled.
 * @throws Error if the browser stops recording.
 */
export async function record({ canvas, type, fps, frames, draw, onProgress, signal }: Recording): Promise<Blob | null> {
  draw(0);
  const stream = canvas.captureStream(fps);
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND });
  const parts: Blob[] = [];
  const stopped = new Promise<void>((resolve, reject) => {
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => resolve();
    recorder.onerror = (event) => reject(new Error(event.type));
  });
  try {
    recorder.start(1_000);
    const start = performance.now();
    for (let frame = 0; frame < frames - 1 && !signal.aborted && recorder.state === "recording"; ) {
      await new Promise((next) => setTimeout(next, 1_000 / fps));
      frame = Math.min(frames - 1, Math.floor(((performance.now() - start) * fps) / 1_000));
      draw(frame);
      onProgress((frame + 1) / frames);
    }
  } finally {
    if (recorder.state !== "inactive") recorder.stop();
    stream.getTracks().forEach((track) => track.stop());
  }
  await stopped;
  return signal.aborted ? null : new Blob(parts, { type: type.split(";")[0] });
}
