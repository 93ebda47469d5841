import { applyDecorators, HttpCode } from '@nestjs/common';
import {
  ApiExtension,
  ApiOperation,
  ApiSecurity,
  ApiResponse,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import {
  type ConflictDescriptions,
  type DeclaredError,
  type ForwardedHeader,
  referToHeaders,
  type ResponseHeader,
  type CallbackDescription,
} from '@app/openapi';
import { SECURITY_SCHEMES, type CallerRequirement, type Scope } from '@app/dto';
import { FOR_OPERATORS, RequireWalletLogin } from '@app/auth';
import type { z } from 'zod';
import { createSchemaConverter } from './create-document.js';

export interface OperationOptions {
  caller: CallerRequirement;
  /** The scope in the table of spec.md section 4, if any. */
  scope?: Scope;
  summary: string;
  /** What the operation does and what to know, in one to three sentences. Who may call it is added from `caller` and `scope`. */
  description: string;
  /**
   * Query parameters that the handler reads and the document describes in text only, because clients with positional arguments
   * know no others. Each field has a description. The gateway rejects parameters that neither this nor `@Query` names.
   */
  furtherQuery?: z.ZodObject;
  /** How long the handler may wait on purpose (`Prefer: wait`). The gateway lets it, beside its timeout of an app's answer. */
  maxWaitSeconds?: number;
  /** Client headers that the gateway forwards to this operation only. */
  forwards?: readonly ForwardedHeader[];
  /** A description for every `details.code` of its 409 responses. */
  conflicts?: ConflictDescriptions;
  /** Errors of the operation's own. Those of every operation and those that follow from the other options are added. */
  errors?: readonly DeclaredError[];
  /** Rejects users who signed in with a passkey. */
  requiresWalletLogin?: boolean;
  /** Lets browsers call it with a publishable id, which anybody can read: for answers that show nothing of users. */
  allowsPublishableId?: boolean;
  /** What the example request gets where it cannot succeed as it stands. */
  example?: { status: number; reason: string };
}

/**
 * Documents an operation for the gateway and for readers. The four security schemes are alternatives on every operation;
 * `x-caller` is the caller requirement (contract.md section 1).
 */
export function Operation(options: OperationOptions) {
  const { caller, scope, summary, forwards, conflicts, example } = options;
  const { furtherQuery, maxWaitSeconds, requiresWalletLogin, allowsPublishableId } = options;
  const errors = listErrors(options);
  const scopes = scope ? [scope] : [];
  const security = SECURITY_SCHEMES.map((scheme) =>
    ApiSecurity(scheme, scheme === 'serviceOAuth2' ? scopes : []),
  );
  const anonymous = caller === 'none' ? [ApiSecurity({})] : [];
  const extensions: Record<string, unknown> = {
    'x-caller': caller,
    'x-gatehouse-example-status': example?.status,
    'x-internal-forwards': forwards,
    'x-internal-query': furtherQuery && Object.keys(furtherQuery.shape),
    'x-internal-max-wait-seconds': maxWaitSeconds,
    'x-internal-wallet-login': requiresWalletLogin,
    'x-internal-publishable-id': allowsPublishableId,
    'x-internal-conflicts': conflicts,
    'x-internal-errors': errors,
  };
  return applyDecorators(
    ApiOperation({ summary, description: describe(options) }),
    ...Object.entries(extensions)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ApiExtension(name, value)),
    ...security,
    ...anonymous,
    ...(requiresWalletLogin ? [RequireWalletLogin()] : []),
  );
}

function listErrors({ errors, requiresWalletLogin, allowsPublishableId }: OperationOptions) {
  if (requiresWalletLogin) return [...(errors ?? []), '403 wallet_login_required' as const];
  return allowsPublishableId ? [...(errors ?? []), '403 origin_not_allowed' as const] : errors;
}

/** Paragraphs: the operation's own sentences, who may call it, and what follows from the other options. */
function describe(options: OperationOptions): string {
  const { description, example, furtherQuery } = options;
  const note = example && `The example gets ${example.status}: ${example.reason}.`;
  const paragraphs = [
    description,
    describeCaller(options),
    furtherQuery && describeQuery(furtherQuery),
    note,
  ];
  return paragraphs.filter((text) => text !== undefined).join('\n\n');
}

/** Says in words what the gateway checks, so that no description repeats it by hand. */
function describeCaller({
  caller,
  scope,
  requiresWalletLogin,
  allowsPublishableId,
}: OperationOptions): string {
  if (caller === 'none') return 'Needs no credential.';
  if (scope === 'operator') return FOR_OPERATORS;
  const withScope = scope === undefined || scope === '$public' ? '' : ` with the scope \`${scope}\``;
  const passkeys = requiresWalletLogin ? ' A sign-in with a passkey is not enough.' : '';
  const browsers = allowsPublishableId ? ', and for pages in browsers with a publishable id' : '';
  if (caller === 'client')
    return `For client applications${withScope}${scope === undefined ? ', with an API key' : ''}${browsers}.`;
  const callers = caller === 'user' ? 'signed-in users' : 'client applications and signed-in users';
  return `For ${callers}${withScope}.${passkeys}`;
}

function describeQuery({ shape }: z.ZodObject): string {
  const parameters = Object.entries(shape).map(([name, schema]) => {
    const { description } = schema as z.ZodType;
    if (description === undefined) throw new Error(`The query parameter ${name} has no description`);
    return `\`${name}\`: ${description}`;
  });
  return `Further query parameters: ${parameters.join('; ')}.`;
}

/** A handler's result does not match its schema. The message has field names, but no values. */
class ResponseValidationError extends Error {
  override readonly name = 'ResponseValidationError';

  constructor(handler: string, { issues }: z.ZodError) {
    const problems = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    super(`The response of ${handler} does not match its schema: ${problems.join('; ')}`);
  }
}

interface ReturnsOptions {
  status?: number;
  description?: string;
  /** The response is an array of the schema. */
  isArray?: boolean;
  /** Headers that are sent beside those of every operation. */
  headers?: readonly ResponseHeader[];
}

type Handler = (...args: unknown[]) => unknown;

/**
 * Documents a handler's response and validates it, stripping unknown fields. A result that does not match becomes a 500.
 */
export function Returns(
  schema: z.ZodType,
  { status = 200, description = '', isArray = false, headers = [] }: ReturnsOptions = {},
): MethodDecorator {
  const responseSchema = isArray ? schema.array() : schema;
  return (target, key, descriptor: PropertyDescriptor) => {
    HttpCode(status)(target, key, descriptor);
    ApiResponse({
      status,
      description,
      standardSchema: responseSchema,
      headers: toResponseHeaders(headers),
    })(target, key, descriptor);
    descriptor.value = withResponseValidation(descriptor.value as Handler, responseSchema);
  };
}

/** Nest's type has no references, but its code passes them on. */
export const toResponseHeaders = (names: readonly ResponseHeader[]) =>
  referToHeaders(names) as unknown as ApiResponseOptions['headers'];

/** Documents a success without a body. */
export const ReturnsNothing = (): MethodDecorator =>
  applyDecorators(HttpCode(200), ApiResponse({ status: 200, description: 'Done. There is no body.' }));

/** Wraps the handler, and copies its name and the metadata of other decorators. */
function withResponseValidation(handler: Handler, schema: z.ZodType): Handler {
  const wrapper = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const result = schema.safeParse(await handler.apply(this, args));
    if (!result.success) throw new ResponseValidationError(handler.name, result.error);
    return result.data;
  };
  Object.defineProperty(wrapper, 'name', { value: handler.name });
  for (const key of Reflect.getMetadataKeys(handler) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), wrapper);
  }
  return wrapper;
}

/** Documents a request that the operation causes to a URL in its body; `schema` is the callback's body. */
export function Callback(
  schema: z.ZodType,
  description: Omit<CallbackDescription, 'schema' | 'schemas'>,
): MethodDecorator {
  const { schema: body, components } = createSchemaConverter()(schema, { schemaType: 'output' });
  return ApiExtension('x-internal-callback', {
    ...description,
    schema: referToComponents(body),
    schemas: referToComponents(components),
  });
}

/** Nest does this to the schemas that it converts itself. */
const referToComponents = (value: object): object =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/definitions/', '"#/components/schemas/')) as object;
