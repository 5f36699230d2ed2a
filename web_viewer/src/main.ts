/** Start the viewer. */

import { createApp } from "vue";
import App from "./App.vue";
import "./app.css";
import { keepPage } from "./offline/register";
import { openSession, SESSION } from "./view/session";

createApp(App).provide(SESSION, openSession()).mount("#app");
void keepPage();
