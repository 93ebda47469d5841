import type { OpenApiDocument, OpenApiOperation } from '@app/openapi';
import { SCOPES } from '../../scripts/demo/demo-client.mjs';
import { signInWithWallet } from '../../scripts/demo/wallet-sign-in.mjs';
import type { Demo } from '../start/project-copy.js';
import { checkDeclared } from '../support/declared-answers.js';

interface Parameter {
  name: string;
  in: string;
  example?: string | number;
  schema: { example?: string | number };
}

interface Schema {
  $ref?: string;
  example?: unknown;
}

/** Ethereum credentials carry all scopes of the demo client but these. */
const OTHER_SCOPES = ['accountkit', 'offline_access'];
const USER_SCOPES = SCOPES.filter((scope) => !OTHER_SCOPES.includes(scope));

/** Deletions come last, and what is nested is deleted before what holds it. */
const METHODS = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
const sortKey = ({ method, path }: { method: string; path: string }): number =>
  METHODS.indexOf(method) * 1_000 - (method === 'DELETE' ? path.length : 0);

/** Sends the example of every operation to a suite of the local profile. @returns the unexpected answers */
export async function requestExamples(document: OpenApiDocument, demo: Demo): Promise<string[]> {
  const wrong: string[] = [];
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  for (const { path, method, operation } of operations.sort((a, b) => sortKey(a) - sortKey(b))) {
    const example = createExample(document, operation, path);
    const response = await fetch(demo.gatewayUrl + example.target, {
      method,
      redirect: 'manual',
      headers: { ...example.headers, ...(await authenticate(operation, demo)) },
      body: example.body,
    });
    const text = await response.text();
    const { 'x-gatehouse-example-status': wanted } = operation;
    if (wanted === undefined ? !response.ok && response.status !== 303 : response.status !== wanted)
      wrong.push(`${method} ${example.target}: ${response.status} ${text.slice(0, 300)}`);
    try {
      checkDeclared(method, example.target, response.status, text);
    } catch (error) {
      wrong.push(String(error));
    }
  }
  return wrong;
}

async function authenticate(operation: OpenApiOperation, demo: Demo): Promise<Record<string, string>> {
  // Users have endpoints in the portal only.
  if (operation.tags.includes('CallbackEndpointController')) return { 'X-API-Key': demo.apiKey };
  switch (operation['x-caller']) {
    case 'none':
      return {};
    case 'client':
      return { 'X-API-Key': demo.apiKey };
    default:
      // Removing a wallet ends the sign-ins with it, so each request has its own.
      return { Authorization: await signInWithWallet(demo, demo.holder.privateKey, USER_SCOPES) };
  }
}

function createExample(document: OpenApiDocument, operation: OpenApiOperation, path: string) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let target = path;
  for (const parameter of (operation.parameters ?? []) as unknown as Parameter[]) {
    const value = parameter.example ?? parameter.schema.example;
    if (value === undefined) continue;
    const text = String(value);
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, encodeURIComponent(text));
    else if (parameter.in === 'query') query.append(parameter.name, text);
    else headers[parameter.name] = text;
  }
  if (query.size > 0) target += `?${query.toString()}`;
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return { target, headers, body: undefined };
  const { schema } = content as { schema: Schema };
  const { example } = schema.$ref
    ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema)
    : schema;
  headers['content-type'] = type;
  const body =
    type === 'application/json'
      ? JSON.stringify(example)
      : new URLSearchParams(example as Record<string, string>).toString();
  return { target, headers, body };
}
