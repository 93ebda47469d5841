// Writes libs/openapi/openapi.json from the apps' controllers and schemas. `--check` only says whether it is fresh.
import { readFile, writeFile } from 'node:fs/promises';
import { importBuilt } from '../build/import-built.mjs';

const { createDocument } = /** @type {typeof import('../../libs/service/src/index.js')} */ (
  await importBuilt('libs/service/src/index.js')
);
const { mergeDocuments, UPSTREAMS } = /** @type {typeof import('../../libs/openapi/src/index.js')} */ (
  await importBuilt('libs/openapi/src/index.js')
);

const target = new URL('../../libs/openapi/openapi.json', import.meta.url);

/** @param {(typeof UPSTREAMS)[number]} upstream */
async function documentOf(upstream) {
  const { AppModule } = /** @type {{ AppModule: Parameters<typeof createDocument>[0] }} */ (
    await importBuilt(`apps/${upstream}/src/app.module.js`)
  );
  return createDocument(AppModule);
}

const documents = /** @type {Parameters<typeof mergeDocuments>[0]} */ ({});
for (const upstream of UPSTREAMS) Object.assign(documents, { [upstream]: await documentOf(upstream) });
const fresh = `${JSON.stringify(mergeDocuments(documents), null, 2)}\n`;

if (process.argv.includes('--check')) {
  const committed = await readFile(target, 'utf8').catch(() => '');
  if (committed !== fresh) {
    console.error('libs/openapi/openapi.json is stale: run `npm run contract` and commit the result.');
    process.exit(1);
  }
  console.log('libs/openapi/openapi.json is fresh.');
} else {
  await writeFile(target, fresh);
  console.log(`libs/openapi/openapi.json: ${Object.keys(mergeDocuments(documents).paths).length} paths.`);
}
