import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';

export const FORM_BODY = 'gatehouse:form-body';

/** Makes the body a form instead of JSON, as OAuth 2.0 endpoints require (RFC 6749 appendix B). */
export const FormBody = (): MethodDecorator =>
  applyDecorators(SetMetadata(FORM_BODY, true), ApiConsumes('application/x-www-form-urlencoded'));
