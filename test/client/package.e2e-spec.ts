import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from '../../scripts/build/project.mjs';

const run = promisify(execFile);
const SOURCE = join(root, 'clients/typescript');
const MAX_CHECK_BYTES = 6 * 1_024;

/** A project of a stranger who has installed the tarball. */
describe('the package @gatehouse/client', () => {
  let folder: string;
  let tarball: string;
  let installed: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-'));
    await run('npm', ['pack', SOURCE, '--ignore-scripts', '--pack-destination', folder], { cwd: folder });
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
    installed = join(folder, 'node_modules/@gatehouse/client');
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    for (const name of ['react', '@types/react', 'csstype']) {
      mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    // Not compiled with the tests, because it names the package as a stranger does.
    cpSync(join(root, 'test/client/fixtures/use-client.txt'), join(folder, 'use-client.ts'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('package.json: has the version of the release', () => {
    const [own, ofRelease] = [SOURCE, root].map(
      (path) => (JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { version: string }).version,
    );
    expect(own).toBe(ofRelease);
  });

  it('npm pack: holds the built modules with their types and nothing else', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('.'),
    );
    const others = files.filter((name) => !/^dist\/[\w-]+(\.d\.ts|\.js)$/.test(name));
    expect(others.toSorted()).toEqual(['README.md', 'package.json']);
    for (const name of ['index', 'react', 'element', 'queues'])
      expect(files).toEqual(expect.arrayContaining([`dist/${name}.js`, `dist/${name}.d.ts`]));
  });

  it('npm pack: publint and are-the-types-wrong find nothing', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, level: 'suggestion', strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    // CommonJS gets at it by import() alone, and TypeScript before 4.7 knows no exports.
    // It ends with an error where it finds something.
    const { stdout } = await run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-color']);
    expect(stdout).toContain('node16 (from ESM): 🟢 (ESM)');
  });

  it('package: has no dependency, and its modules name no module of Node', async () => {
    const { metafile } = await build({
      entryPoints: ['index.js', 'element.js'].map((name) => join(installed, 'dist', name)),
      bundle: true,
      write: false,
      outdir: folder,
      format: 'esm',
      platform: 'browser',
      metafile: true,
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.filter((name) => !name.includes('@gatehouse/client/dist/'))).toEqual([]);
  });

  it('package: a bundle of one check stays below 6 KB', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents:
          "import { checkRoles, createClient } from '@gatehouse/client';\nglobalThis.check = (options, check) => checkRoles(createClient(options), check);",
        resolveDir: folder,
      },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
    });
    const { contents, text } = outputFiles[0] ?? { contents: new Uint8Array(), text: '' };
    expect(text).toContain('/access-control/check-roles');
    for (const other of ['webhook-signature', 'code_challenge', 'paginationToken'])
      expect(text).not.toContain(other);
    expect(gzipSync(contents).length).toBeLessThanOrEqual(MAX_CHECK_BYTES);
  });

  it.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'types: module %s with resolution %s compile in strict mode, and refuse what the API does not take',
    async (module, moduleResolution) => {
      const config = {
        compilerOptions: {
          module,
          moduleResolution,
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable'],
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          noEmit: true,
        },
        include: ['*.ts'],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      const compiled = run(process.execPath, [compiler, '-p', folder]).then(
        () => '',
        (error: unknown) => (error as { stdout: string }).stdout,
      );
      expect(await compiled).toBe('');
    },
  );
});
