import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Page } from '@app/auth';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AssetStore } from '../assets/asset-store.js';
import { PageScriptRegistry } from '../views/page-script-registry.js';

const NAME = 'test-wallet.js';
const FILE = join(import.meta.dirname, '../browser/local', NAME);

/** Serves the test wallet's script below the pages' scripts, which it imports by relative path. */
@Page()
@ApiExcludeController()
@Controller('pages/:version/local')
export class TestWalletScriptController {
  private readonly script = readFileSync(FILE, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');

  constructor(scripts: PageScriptRegistry, assets: AssetStore) {
    for (const page of ['login', 'wallet-link']) scripts.register(page, `${assets.path}/local/${NAME}`);
  }

  @Get(NAME)
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  get(): string {
    return this.script;
  }
}
