import { createConfigClass, envOrigin, envSwitch } from '@app/config';
import { z } from 'zod';

const platformsConfigSchema = z.object({
  PLATFORM_CHAT_URL: envOrigin
    .optional()
    .describe(
      'API of the chat platform, such as `https://api.telegram.org`. Without it, operations with its tokens are 503 `platform_not_configured`.',
    ),
  PLATFORM_MICROBLOG_URL: envOrigin
    .optional()
    .describe(
      'API of the microblog, such as `https://api.x.com`. Without it, operations with its tokens are 503 `platform_not_configured`.',
    ),
  PLATFORM_CODEHOST_URL: envOrigin
    .optional()
    .describe(
      'API of the code host, such as `https://api.github.com`. Without it, operations with its tokens are 503 `platform_not_configured`.',
    ),
  ACCEPT_UNBOUND_TOKENS: envSwitch
    .default(false)
    .describe(
      'Whether accounts sign for platform tokens whose audience is not checked: then a token that was given to any other application signs here, too. For the local profile.',
    ),
});

export class PlatformsConfig extends createConfigClass(platformsConfigSchema) {}
