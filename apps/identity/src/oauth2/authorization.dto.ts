import { EXAMPLES } from '@app/dto';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';

const text = { type: 'string' } as const;

interface AuthorizationParameter {
  name: string;
  required?: true;
  description?: string;
  schema: { type: string; enum?: string[]; pattern?: string; minimum?: number; example?: string };
}

/** spec.md 5.2, PKCE (RFC 7636) and OpenID Connect Core 1.0 section 3.1.2.1. */
const PARAMETERS: readonly AuthorizationParameter[] = [
  { name: 'response_type', required: true, schema: { ...text, enum: ['code', 'token'], example: 'code' } },
  { name: 'client_id', required: true, schema: { ...text, example: EXAMPLES.clientId } },
  { name: 'redirect_uri', required: true, schema: { ...text, example: `${EXAMPLES.origin}/callback` } },
  { name: 'scope', schema: { ...text, example: 'user:read' }, description: 'Scopes, separated by spaces' },
  { name: 'state', schema: text, description: 'Returned unchanged' },
  { name: 'code_challenge', schema: { ...text, pattern: '^[A-Za-z0-9_-]{43}$' } },
  { name: 'code_challenge_method', schema: { ...text, enum: ['S256'] } },
  { name: 'nonce', schema: text },
  {
    name: 'prompt',
    schema: text,
    description:
      '`none`, `login`, `consent`, `select_account`, `create`, separated by spaces; others are ignored',
  },
  { name: 'max_age', schema: { type: 'integer', minimum: 0 }, description: 'Seconds since the login' },
];

/**
 * Documents the parameters without validating them: oidc-provider reports errors by redirect where possible (RFC 6749
 * section 4.1.2.1).
 */
export const ApiAuthorizationQuery = () =>
  applyDecorators(...PARAMETERS.map((parameter) => ApiQuery({ required: false, ...parameter })));

/** Documents the form of a request by POST, which has the same parameters. */
export const ApiAuthorizationForm = () =>
  ApiBody({
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        PARAMETERS.map(({ name, description, schema }) => [
          name,
          description === undefined ? schema : { ...schema, description },
        ]),
      ),
      required: PARAMETERS.filter(({ required }) => required).map(({ name }) => name),
      example: Object.fromEntries(
        PARAMETERS.flatMap(({ name, schema: { example } }) =>
          example === undefined ? [] : [[name, example]],
        ),
      ),
    },
  });

/** Browsers get errors of the request as a page. */
export const ApiErrorPage = () =>
  ApiResponse({
    status: 400,
    description: 'The request is not valid. A page says why.',
    content: { 'text/html': { schema: text } },
  });

export const authorizationParams = z.object({
  uid: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .meta({ example: 'uid' }),
});
