/** Starts the viewer. */

import { createApp } from "vue";
import App from "./App.vue";
import "./app.css";
import { openSession, SESSION } from "./view/session";

createApp(App).provide(SESSION, openSession()).mount("#app");
