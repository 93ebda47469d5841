import { Page } from '@app/auth';
import { notFound } from '@app/common';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { AssetStore } from './asset-store.js';

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
    response.setHeader('Content-Type', asset.type);
    response.end(asset.content);
  }
}
