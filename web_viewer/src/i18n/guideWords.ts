/** Texts of the hints for a first visit, and of a node's context menu. */

export const en = {
  "hint.title": "First steps",
  "hint.search": "Press / to search everything",
  "hint.click": "Click a thing or a line for the evidence",
  "hint.menu": "Right-click a thing for neighbours and paths",
  "hint.keys": "Press ? for all keys",
  "hint.tap": "Tap a thing for the evidence",
  "hint.hold": "Touch and hold it for neighbours and paths",
  "hint.pinch": "Pinch to zoom",
  "hint.ok": "Got it",
  "keys.menu": "menu of a thing",
};

export const zh: Record<keyof typeof en, string> = {
  "hint.title": "入门",
  "hint.search": "按 / 搜索全部内容",
  "hint.click": "点击内容或连线，查看依据",
  "hint.menu": "右键点击内容，查看相邻内容和路径",
  "hint.keys": "按 ? 查看全部按键",
  "hint.tap": "轻触内容，查看依据",
  "hint.hold": "长按内容，查看相邻内容和路径",
  "hint.pinch": "双指张开可缩放",
  "hint.ok": "知道了",
  "keys.menu": "内容的菜单",
};
