import { Injectable } from '@nestjs/common';
import { AssetStore } from '../assets/assets.controller.js';

/** The scripts of pages: their own, and one that an optional module may add. */
@Injectable()
export class PageScriptRegistry {
  private readonly added = new Map<string, string>();

  constructor(private readonly assets: AssetStore) {}

  /** @param name a module of `browser/`, without its extension @param path the path of a script to load after it */
  register(name: string, path: string): void {
    this.added.set(name, path);
  }

  /** The paths of a page's scripts in execution order. */
  listPaths(name: string): string[] {
    const added = this.added.get(name);
    return [`${this.assets.path}/${name}.js`, ...(added === undefined ? [] : [added])];
  }
}
