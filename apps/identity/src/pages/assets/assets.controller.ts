import { Page } from '@app/auth';
import { notFound } from '@app/common';
import { Controller, Get, Param, Res, Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', 'browser');

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

const HASH_DIGITS = 16;

interface Asset {
  type: string;
  content: Buffer;
}

/**
 * The scripts, stylesheets and images of the pages, read once. Their path contains one hash of all of them, so that browsers may
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

const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable';

@Page()
@ApiExcludeController()
@Controller('pages')
export class AssetsController {
  constructor(private readonly assets: AssetStore) {}

  /** Serves an asset of this build under any version; another version (during a rollout) must not be cached. */
  @Get(':version/:name')
  get(@Param('version') version: string, @Param('name') name: string, @Res() response: Response): void {
    const asset = this.assets.find(name);
    if (!asset) throw notFound('path_not_found', 'This path does not exist.');
    response.setHeader(
      'Cache-Control',
      version === this.assets.version ? IMMUTABLE_CACHE_CONTROL : 'no-store',
    );
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    // An image that is opened by itself is a document, which shall load and run nothing.
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
    response.setHeader('Content-Type', asset.type);
    response.end(asset.content);
  }
}
