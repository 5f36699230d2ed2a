/** Texts of the hints for a first visit, and of a node's context menu. */

export const en = {
  "hint.title": "For a first visit",
  "hint.search": "Press / to search everything",
  "hint.click": "Click a thing or a line to see why it is believed",
  "hint.menu": "Right-click a thing for its neighbours and paths",
  "hint.keys": "Press ? for all keys",
  "hint.tap": "Tap a thing to see why it is believed",
  "hint.hold": "Hold a finger on it for its neighbours and paths",
  "hint.pinch": "Pinch to come nearer",
  "hint.ok": "Got it",
  "menu.details": "Details",
  "keys.menu": "what can be done with a thing",
};

export const zh: Record<keyof typeof en, string> = {
  "hint.title": "第一次来访",
  "hint.search": "按 / 搜索全部内容",
  "hint.click": "点击内容或连线，查看为什么这样认为",
  "hint.menu": "右键点击内容，查看相邻内容和路径",
  "hint.keys": "按 ? 查看全部按键",
  "hint.tap": "轻触内容，查看为什么这样认为",
  "hint.hold": "长按内容，查看相邻内容和路径",
  "hint.pinch": "双指张开可放大",
  "hint.ok": "知道了",
  "menu.details": "详情",
  "keys.menu": "对一项内容可做的事",
};
