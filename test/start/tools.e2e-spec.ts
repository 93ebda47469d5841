import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createChildren } from '../../scripts/processes/children.mjs';
import { root } from '../../scripts/build/project.mjs';
import { chooseTools } from '../../scripts/tests/test-tools.mjs';
import { findTool, installTool, listTools } from '../../scripts/build/tools.mjs';
import { until } from '../support/until.js';

describe('tools on demand', () => {
  let folder: string;
  let places: { manifests: string; installed: string };
  /** Stands in for the registry: answers with the archive of the package, or never. */
  let server: Server;
  let archive: Buffer;
  let requests: number;
  let isSilent: boolean;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-tools-'));
    places = { manifests: join(folder, 'manifests'), installed: join(folder, 'installed') };
    requests = 0;
    isSilent = false;
    server = createServer((_, response) => {
      requests += 1;
      if (!isSilent) response.end(archive);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    writeManifest('1.0.0');
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  /** Packs a package that npm's cache cannot know, and names it in the manifest of the tool `pliers`. */
  function writeManifest(version: string, integrity?: string): void {
    const content = join(folder, 'archive');
    mkdirSync(join(content, 'package'), { recursive: true });
    const manifest = { name: 'jaws', version, description: randomUUID() };
    writeFileSync(join(content, 'package/package.json'), JSON.stringify(manifest));
    execFileSync('tar', ['-czf', join(folder, 'jaws.tgz'), '-C', content, 'package']);
    archive = readFileSync(join(folder, 'jaws.tgz'));
    integrity ??= `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    const { port } = server.address() as AddressInfo;
    const tool = { name: 'pliers', private: true, dependencies: { jaws: version } };
    const jaws = { version, resolved: `http://127.0.0.1:${port}/jaws-${version}.tgz`, integrity };
    const lock = { lockfileVersion: 3, requires: true, packages: { '': tool, 'node_modules/jaws': jaws } };
    mkdirSync(join(places.manifests, 'pliers'), { recursive: true });
    writeFileSync(join(places.manifests, 'pliers/package.json'), JSON.stringify(tool));
    writeFileSync(join(places.manifests, 'pliers/package-lock.json'), JSON.stringify(lock));
  }

  function install(): Promise<string> {
    const children = createChildren({
      logs: folder,
      onChange: () => undefined,
      onUnexpectedEnd: () => undefined,
    });
    return installTool(children, 'pliers', places);
  }

  const installedVersion = (): string | undefined => {
    const found = findTool('pliers', places);
    if (found === undefined) return undefined;
    const manifest = readFileSync(join(found, 'node_modules/jaws/package.json'), 'utf8');
    return (JSON.parse(manifest) as { version: string }).version;
  };

  it('children.run: says of a program that is not installed only that, and removes what goes with it', async () => {
    const children = createChildren({
      logs: folder,
      onChange: () => undefined,
      onUnexpectedEnd: () => undefined,
    });
    const order = { removeAfter: [join(folder, 'manifests')] };
    await expect(children.run('absent', 'no-such-program', [], { order })).rejects.toThrow(
      /^absent failed: exit code 127\n {4}cannot run no-such-program: spawn no-such-program ENOENT\n {2}\(all of it: [^\n]+\)$/,
    );
    expect(existsSync(join(folder, 'manifests'))).toBe(false);
  });

  it('installTool: installs what the lock file names, once, and replaces it when the lock file changes', async () => {
    expect(findTool('pliers', places)).toBeUndefined();
    const first = await install();
    expect(first).toBe(findTool('pliers', places));
    await install();
    expect([installedVersion(), requests]).toEqual(['1.0.0', 1]);
    writeManifest('1.1.0');
    expect(findTool('pliers', places)).toBeUndefined();
    await install();
    expect(installedVersion()).toBe('1.1.0');
    expect(existsSync(first)).toBe(false);
  });

  it('installTool: refuses an archive that is not the one of the lock file', async () => {
    writeManifest('1.0.0', `sha512-${createHash('sha512').update('another').digest('base64')}`);
    await expect(install()).rejects.toThrow(/EINTEGRITY/);
    expect(findTool('pliers', places)).toBeUndefined();
    expect(readdirSync(places.installed)).toEqual([]);
  });

  it('installTool: without a registry, names the command that fetches the tool, and leaves nothing behind', async () => {
    await new Promise((resolve) => server.close(resolve));
    await expect(install()).rejects.toThrow(
      /^pliers could not be fetched\. When the npm registry can be reached: npm run tools -- pliers\n/,
    );
    expect(readdirSync(places.installed)).toEqual([]);
    server.listen(0);
  });

  it('installTool: does not take a killed installation for a whole one, and installs after it', async () => {
    isSilent = true;
    const program = `
      import { createChildren } from ${JSON.stringify(join(root, 'scripts/processes/children.mjs'))};
      import { installTool } from ${JSON.stringify(join(root, 'scripts/build/tools.mjs'))};
      const children = createChildren({ logs: ${JSON.stringify(folder)}, onChange() {}, onUnexpectedEnd() {} });
      await installTool(children, 'pliers', ${JSON.stringify(places)});`;
    const killed = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
    await until('npm asks for the archive', () => Promise.resolve(requests > 0));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(readdirSync(places.installed).some((name) => name.endsWith('.unfinished'))).toBe(true);
    expect(findTool('pliers', places)).toBeUndefined();
    isSilent = false;
    await install();
    expect(installedVersion()).toBe('1.0.0');
    expect(readdirSync(places.installed)).toHaveLength(1);
  });

  it('installTool: installs once when several ask at the same time', async () => {
    const folders = await Promise.all([install(), install(), install()]);
    expect(new Set(folders).size).toBe(1);
    expect([installedVersion(), requests]).toEqual(['1.0.0', 1]);
  });

  it.each(listTools())(
    'scripts/tools/%s: pins exact versions, and each package by integrity and archive',
    (name) => {
      const read = (file: string): unknown =>
        JSON.parse(readFileSync(join(root, 'scripts/tools', name, file), 'utf8'));
      const manifest = read('package.json') as Record<string, Record<string, string> | undefined>;
      const wanted = { ...manifest['dependencies'], ...manifest['optionalDependencies'] };
      for (const version of Object.values({ ...wanted, ...manifest['overrides'] }))
        expect(version).toMatch(/^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+$/);
      const { packages } = read('package-lock.json') as {
        packages: Record<string, { integrity?: string; resolved?: string; inBundle?: boolean }>;
      };
      for (const [path, { integrity, resolved, inBundle }] of Object.entries(packages)) {
        if (path === '' || inBundle) continue;
        expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[\w+/]{86}==$/)]);
        expect([path, resolved]).toEqual([path, expect.stringMatching(/^https:\/\/registry\.npmjs\.org\//)]);
      }
    },
  );

  it('chooseTools: names what the chosen test files use, and nothing else', () => {
    const names = ['openapi-clients'];
    const all = { hasUnit: true, hasEndToEnd: true, jestArgs: [] };
    expect(chooseTools(names, all)).toEqual(names);
    expect(chooseTools(names, { ...all, jestArgs: ['test/gateway/document'] })).toEqual(names);
    expect(chooseTools(names, { ...all, jestArgs: ['test/k8s'] })).toEqual([]);
    expect(chooseTools(names, { ...all, hasEndToEnd: false, jestArgs: ['document.e2e'] })).toEqual([]);
    expect(chooseTools(names, { ...all, jestArgs: ['-t', 'a title'] })).toEqual(names);
  });
});
