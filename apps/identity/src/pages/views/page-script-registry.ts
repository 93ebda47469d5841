import { Injectable } from '@nestjs/common';
import { AssetStore } from '../assets/asset-store.js';

/** What a page runs in the browser: its own script, and what modules that are not always there add to it. */
@Injectable()
export class PageScriptRegistry {
  private readonly more = new Map<string, string>();

  constructor(private readonly assets: AssetStore) {}

  /** @param name a module of `browser/`, without its ending @param path of what is loaded after it */
  register(name: string, path: string): void {
    this.more.set(name, path);
  }

  /** Their paths, in the order in which they run. */
  listPaths(name: string): string[] {
    const more = this.more.get(name);
    return [`${this.assets.path}/${name}.js`, ...(more === undefined ? [] : [more])];
  }
}
