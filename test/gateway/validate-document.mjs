// Validates the OpenAPI document that arrives on standard input, with references resolved. Fails with the reason.
import { text } from 'node:stream/consumers';
import SwaggerParser from '@apidevtools/swagger-parser';

await SwaggerParser.validate(JSON.parse(await text(process.stdin)));
