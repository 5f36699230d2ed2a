/** Storage of copies: IndexedDB, or none if the browser forbids it. */

import { copyKey, type MapCopy } from "./copy";

export interface CopyStorage {
  get(tenant: string, user: string | null): Promise<MapCopy | null>;
  put(copy: MapCopy): Promise<void>;
  /** Delete every copy that the filter rejects. */
  keepOnly(passes: (copy: MapCopy) => boolean): Promise<void>;
}

const DATABASE = "mnemoscene";
const STORE = "copies";

export class BrowserCopyStorage implements CopyStorage {
  private opened: Promise<IDBDatabase> | null = null;

  async get(tenant: string, user: string | null): Promise<MapCopy | null> {
    const store = await this.store("readonly");
    return ((await done(store.get(copyKey(tenant, user)))) as MapCopy | undefined) ?? null;
  }

  async put(copy: MapCopy): Promise<void> {
    const store = await this.store("readwrite");
    await done(store.put(copy, copyKey(copy.tenant, copy.user)));
  }

  async keepOnly(passes: (copy: MapCopy) => boolean): Promise<void> {
    const store = await this.store("readwrite");
    await new Promise<void>((resolve, reject) => {
      const walk = store.openCursor();
      walk.onerror = () => reject(walk.error);
      walk.onsuccess = () => {
        const at = walk.result;
        if (!at) return resolve();
        if (!passes(at.value as MapCopy)) at.delete();
        at.continue();
      };
    });
  }

  private async store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    this.opened ??= open();
    return (await this.opened).transaction(STORE, mode).objectStore(STORE);
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
