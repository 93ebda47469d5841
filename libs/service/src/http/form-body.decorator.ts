import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';

export const FORM_BODY = 'gatehouse:form-body';

/** `fields`: the body becomes an object, and repeated fields are refused; `text`: the handler parses it itself. */
export type FormBodyKind = 'fields' | 'text';

/** Makes the body a form instead of JSON, as OAuth 2.0 endpoints require (RFC 6749 appendix B). */
export const FormBody = (kind: FormBodyKind = 'fields'): MethodDecorator =>
  applyDecorators(SetMetadata(FORM_BODY, kind), ApiConsumes('application/x-www-form-urlencoded'));
