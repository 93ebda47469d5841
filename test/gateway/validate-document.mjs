// Validates the OpenAPI document from stdin, including its references.
import { text } from 'node:stream/consumers';
import { importFromTool } from '../../scripts/build/tools.mjs';

/** @type {{ default: { validate: (document: unknown) => Promise<unknown> } }} */
const { default: SwaggerParser } = await importFromTool('openapi-clients', '@apidevtools/swagger-parser');
await SwaggerParser.validate(JSON.parse(await text(process.stdin)));
