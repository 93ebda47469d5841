import { SECURITY_SCHEMES } from '@app/dto';
import { z } from 'zod';
import { findAliasProblems } from './find-alias-problems.js';

const names = <S extends z.ZodType>(value: S) =>
  z
    .record(z.string(), value)
    .refine((record) => Object.keys(record).length <= 100, 'must have at most 100 entries')
    .default({});

const text = z.string().min(1).max(200);

/** `GATEWAY_ALIASES` (contract.md section 11): each record maps another spelling to the one of the OpenAPI document. */
export const aliasesSchema = z
  .strictObject({
    pathPrefixes: names(text),
    headers: names(text),
    queryValues: names(names(text)),
    securitySchemes: names(z.enum(SECURITY_SCHEMES)),
  })
  .superRefine((aliases, context) => {
    for (const { path, message } of findAliasProblems(aliases))
      context.addIssue({ code: 'custom', path, message });
  });
