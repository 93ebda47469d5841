// Writes libs/openapi/openapi.json from the apps' controllers and schemas. `--check` only says whether it is fresh.
import { readFile, writeFile } from 'node:fs/promises';
import { createDocument } from '../dist/libs/service/src/index.js';
import { mergeDocuments, UPSTREAMS } from '../dist/libs/openapi/src/index.js';

const target = new URL('../libs/openapi/openapi.json', import.meta.url);

const documents = {};
for (const upstream of UPSTREAMS) {
  const { AppModule } = await import(`../dist/apps/${upstream}/src/app.module.js`);
  documents[upstream] = await createDocument(AppModule);
}
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
