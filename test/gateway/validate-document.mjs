// Validates the OpenAPI document from stdin, including its references.
import { text } from 'node:stream/consumers';
import SwaggerParser from '@apidevtools/swagger-parser';

await SwaggerParser.validate(JSON.parse(await text(process.stdin)));
