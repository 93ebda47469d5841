import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';

const FOLDER = join(import.meta.dirname, '..', 'browser');

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

const HASH_DIGITS = 16;

export interface Asset {
  type: string;
  content: Buffer;
}

/**
 * The scripts and stylesheets of the pages, read once. Their path contains one hash of all of them, so that browsers may
 * cache them indefinitely and modules can import each other by relative path.
 */
@Injectable()
export class AssetStore {
  private readonly assets = new Map(readAssets());
  readonly version = hashAssets(this.assets);
  /** The URL path of the folder. */
  readonly path = `/pages/${this.version}`;

  find(name: string): Asset | undefined {
    return this.assets.get(name);
  }
}

function readAssets(): [string, Asset][] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((name): [string, Asset][] => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      return type === undefined ? [] : [[name, { type, content: readContent(name) }]];
    });
}

/** Removes the link to the source map, which is not served. */
function readContent(name: string): Buffer {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return Buffer.from(text.replace(/^\/\/# sourceMappingURL=.*$/m, '').trimEnd() + '\n');
}

function hashAssets(assets: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256');
  for (const [name, { content }] of assets) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, HASH_DIGITS);
}
