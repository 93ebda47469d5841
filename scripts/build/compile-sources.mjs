// Compiles the TypeScript of `apps` and `libs` to `dist`, and copies their assets. build.mjs runs it.
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { compileSource, isBuilt } from './compile-source.mjs';
import { root } from './project.mjs';

const files = process.argv
  .slice(2)
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
  .filter(isBuilt);

for (const folder of new Set(files.map(dirname))) mkdirSync(join(root, 'dist', folder), { recursive: true });
await Promise.all(files.map((file) => compileSource(root, file)));
