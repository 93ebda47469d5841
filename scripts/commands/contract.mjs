// Writes libs/openapi/openapi.json from the apps' controllers and schemas, and what is made from it and from the
// definitions of the queues: the types of the client, and docs/asyncapi.json.
// `--check` only says whether they are fresh.
import { readFile, writeFile } from 'node:fs/promises';
import { importBuilt } from '../build/import-built.mjs';
import { root } from '../build/project.mjs';
import { createClientTypes } from '../clients/client-types.mjs';
import { createAsyncApi, createQueueTypes, describeQueues } from '../clients/queue-documents.mjs';
import { collectErrors } from '../docs/collect-errors.mjs';

const { createDocument } = /** @type {typeof import('../../libs/service/src/index.js')} */ (
  await importBuilt('libs/service/src/index.js')
);
const { mergeDocuments, UPSTREAMS } = /** @type {typeof import('../../libs/openapi/src/index.js')} */ (
  await importBuilt('libs/openapi/src/index.js')
);

/** @param {(typeof UPSTREAMS)[number]} upstream */
async function documentOf(upstream) {
  const { AppModule } = /** @type {{ AppModule: Parameters<typeof createDocument>[0] }} */ (
    await importBuilt(`apps/${upstream}/src/app.module.js`)
  );
  return createDocument(AppModule);
}

const documents = /** @type {Parameters<typeof mergeDocuments>[0]} */ ({});
for (const upstream of UPSTREAMS) Object.assign(documents, { [upstream]: await documentOf(upstream) });
const document = mergeDocuments(documents);
const codes = collectErrors(root).map(({ code }) => code);

const queues = describeQueues(
  /** @type {Record<string, unknown>} */ (await importBuilt('libs/queues/src/index.js')),
  document,
);

/** @type {[file: string, text: string][]} */
const files = [
  ['libs/openapi/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  ['clients/typescript/src/openapi.ts', await createClientTypes(document, codes)],
  ['clients/typescript/src/queues.ts', await createQueueTypes(queues, document)],
  ['docs/asyncapi.json', `${JSON.stringify(createAsyncApi(queues, document), null, 2)}\n`],
];

for (const [file, fresh] of files) {
  const target = new URL(`../../${file}`, import.meta.url);
  if (!process.argv.includes('--check')) await writeFile(target, fresh);
  else if ((await readFile(target, 'utf8').catch(() => '')) !== fresh) {
    console.error(`${file} is stale: run \`npm run contract\` and commit the result.`);
    process.exitCode = 1;
  } else console.log(`${file} is fresh.`);
}
if (!process.argv.includes('--check'))
  console.log(`libs/openapi/openapi.json: ${Object.keys(document.paths).length} paths.`);
