/** Run work that is written as steps: at once, or in slices that leave the page responsive. */

/** Run all steps and return the result. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Let the page draw and handle input before continuing. */
export function pause(): Promise<void> {
  return new Promise((again) => setTimeout(again));
}

/** Run a generator in slices, each followed by a pause in which the page can draw; null once it is no longer wanted. */
export async function inSlices<T>(steps: Generator<void, T>, wanted: () => boolean, sliceMs = 12): Promise<T | null> {
  for (;;) {
    const endMs = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < endMs);
    await pause();
    if (!wanted()) return null;
  }
}
