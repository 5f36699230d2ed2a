/** Texts of the full screen on which the memory is watched. */

export const en = {
  "ambient.title": "Watching this memory",
  "ambient.leave": "Leave full screen",
  "ambient.question": "Asked",
  "ambient.fact": "Learned",
};

export const zh: Record<keyof typeof en, string> = {
  "ambient.title": "静观这份记忆",
  "ambient.leave": "退出全屏",
  "ambient.question": "提问",
  "ambient.fact": "新事实",
};
