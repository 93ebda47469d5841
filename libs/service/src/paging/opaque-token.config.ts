import { configClass, opaqueTokenConfigSchema } from '@app/config';

export class OpaqueTokenConfig extends configClass(opaqueTokenConfigSchema) {}
