import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import type { DeclaredError } from '@app/openapi';
import { Operation, type OperationOptions, Returns, ReturnsNothing } from '@app/service';
import { ApiBody } from '@nestjs/swagger';
import { Body, Controller, Delete, Get, Header, Param, Patch, Post } from '@nestjs/common';
import {
  clientApplication,
  type ClientApplicationChange,
  clientApplicationChange,
  clientApplicationList,
  type ClientApplicationResponse,
  createdClientApplication,
  type NewClientApplication,
  newClientApplication,
  PORTAL_SCOPE_EXAMPLE,
  toClientApplicationResponse,
  toApiKeyResponse,
} from './client-application.dto.js';
import {
  apiKeyList,
  type ApplicationParams,
  applicationParams,
  issuedApiKey,
  issuedClientSecret,
  type KeyParams,
  keyParams,
  type NewApiKey,
  newApiKey,
  type Rotation,
  rotation,
  toKeyTerms,
} from './credentials/credential.dto.js';
import { ClientApplicationsService } from './client-applications.service.js';
import { ApplicationCredentialsService } from './credentials/application-credentials.service.js';
import { PlanUsageService, type PlanUsage, planUsage } from './plans/plan-usage.service.js';

const UserOperation = (
  summary: string,
  more: Pick<OperationOptions, 'description' | 'conflicts' | 'errors' | 'requiresWalletLogin'>,
) =>
  Operation({
    caller: 'user',
    scope: 'user:client-application:write',
    summary,
    ...more,
    example: PORTAL_SCOPE_EXAMPLE,
  });

const OWNED_ERRORS: readonly DeclaredError[] = ['404 client_not_found'];
const KEY_ERRORS: readonly DeclaredError[] = [...OWNED_ERRORS, '404 api_key_not_found'];

const API_KEY_LIMIT_CONFLICT = { api_key_limit_exceeded: 'the plan allows no more API keys' };

/** Responses with secrets: no cache may store them. */
const NoStore = () => Header('Cache-Control', 'no-store');

/** Client applications of the signed-in user. Only the deployment's portal may request their scope. */
@Controller('client-applications')
export class ClientApplicationController {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly credentials: ApplicationCredentialsService,
    private readonly usage: PlanUsageService,
  ) {}

  @Get()
  @UserOperation("The user's client applications", {
    description:
      'Every application that the signed-in user has registered, with its state of approval. Secrets and keys are never in ' +
      'the answer.',
  })
  @Returns(clientApplicationList)
  async listApplications(
    @CurrentPrincipal() caller: Principal,
  ): Promise<{ items: ClientApplicationResponse[] }> {
    return {
      items: (await this.applications.list(requireSignedInUser(caller).id)).map(toClientApplicationResponse),
    };
  }

  @Post()
  @UserOperation('Register a client application', {
    description:
      'Answers with the client id, the client secret and the first API key, which are shown this once. Scopes that need ' +
      'approval work after an operator has approved them.',
    requiresWalletLogin: true,
    conflicts: {
      client_limit_exceeded: 'the plan allows no more client applications',
      ...API_KEY_LIMIT_CONFLICT,
    },
  })
  @NoStore()
  @Returns(createdClientApplication, { status: 201 })
  async createApplication(
    @CurrentPrincipal() caller: Principal,
    @Body({ schema: newClientApplication }) body: NewClientApplication,
  ) {
    const { application, credentials } = await this.applications.register(
      requireSignedInUser(caller).id,
      body,
    );
    const { clientSecret, keyId, apiKey } = credentials;
    return {
      application: toClientApplicationResponse(application),
      clientSecret: clientSecret ?? undefined,
      keyId,
      apiKey,
    };
  }

  // Declared before `:clientId`, which would match it.
  @Get('usage')
  @UserOperation("The limits of the user's plan, their usage, and recent refusals", {
    description:
      'What the plan of the signed-in user allows a second and a month, how much of it was used, and the newest requests that ' +
      'were refused with their reasons.',
  })
  @Header('Cache-Control', 'no-store')
  @Returns(planUsage)
  getUsage(@CurrentPrincipal() caller: Principal): Promise<PlanUsage> {
    return this.usage.loadUsage(requireSignedInUser(caller).id);
  }

  @Get(':clientId')
  @UserOperation('One client application', {
    description:
      'One application of the signed-in user with its redirect URIs, scopes and state of approval. Applications of others are ' +
      '404.',
    errors: OWNED_ERRORS,
  })
  @Returns(clientApplication)
  async getApplication(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ) {
    return toClientApplicationResponse(await this.applications.get(requireSignedInUser(caller).id, clientId));
  }

  @Patch(':clientId')
  @UserOperation('Change a client application', {
    description:
      'Changes the fields that the body names. Values that people see or that need approval, such as name and redirect URIs, ' +
      'wait for an operator, and the approved ones stay in force meanwhile.',
    requiresWalletLogin: true,
    errors: OWNED_ERRORS,
  })
  @Returns(clientApplication)
  async changeApplication(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: clientApplicationChange }) body: ClientApplicationChange,
  ) {
    return toClientApplicationResponse(
      await this.applications.change(requireSignedInUser(caller).id, clientId, body),
    );
  }

  @Delete(':clientId')
  @UserOperation('Delete a client application, with its keys, secrets and tokens', {
    description:
      'Keys, secrets and tokens of the application end at once, and it can sign nobody in. It cannot be undone.',
    requiresWalletLogin: true,
    errors: OWNED_ERRORS,
  })
  @ReturnsNothing()
  async deleteApplication(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ): Promise<void> {
    await this.applications.remove(requireSignedInUser(caller).id, clientId);
  }

  @Post(':clientId/secrets')
  @UserOperation('Rotate the client secret', {
    requiresWalletLogin: true,
    description:
      'Answers with a new secret, which is shown this once; the one before stays valid for `overlapSeconds`. At most two ' +
      'secrets are valid: rotating again revokes the oldest at once, or with `lost` the one that nobody has.',
    errors: [...OWNED_ERRORS, '400 client_secret_not_supported'],
  })
  @NoStore()
  @Returns(issuedClientSecret, { status: 201 })
  async rotateSecret(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: rotation }) body: Rotation,
  ) {
    const userId = requireSignedInUser(caller).id;
    const { text } = await this.credentials.rotateClientSecret(userId, clientId, body);
    return { clientSecret: text };
  }

  @Get(':clientId/api-keys')
  @UserOperation('The active API keys of a client application', {
    description:
      'The keys that are valid now, by id and with the end of their text, so that one can be told from another. A key itself ' +
      'is shown once, when it is created.',
    errors: OWNED_ERRORS,
  })
  @Returns(apiKeyList)
  async listApiKeys(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ) {
    const keys = await this.credentials.listApiKeys(requireSignedInUser(caller).id, clientId);
    return { items: keys.map(toApiKeyResponse) };
  }

  @Post(':clientId/api-keys')
  @UserOperation('Create an API key', {
    description:
      'Answers with a new key, which is shown this once. Other keys of the application stay valid. Without a body the key has all ' +
      'scopes of the application and no end.',
    requiresWalletLogin: true,
    conflicts: API_KEY_LIMIT_CONFLICT,
    errors: OWNED_ERRORS,
  })
  @ApiBody({ required: false })
  @NoStore()
  @Returns(issuedApiKey, { status: 201 })
  async createApiKey(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: newApiKey.optional() }) body: NewApiKey | undefined,
  ) {
    const userId = requireSignedInUser(caller).id;
    const { id, text } = await this.credentials.createApiKey(userId, clientId, toKeyTerms(body));
    return { keyId: id, apiKey: text };
  }

  @Post(':clientId/api-keys/:keyId/rotations')
  @UserOperation('Replace an API key', {
    requiresWalletLogin: true,
    description:
      'Answers with a new key, which is shown this once and has the name, the scopes and the lifetime of the old one; the old key ' +
      'stays valid for `overlapSeconds`. Until it expires, both count as one.',
    conflicts: { api_key_conflict: 'the key was replaced already: replace its successor' },
    errors: KEY_ERRORS,
  })
  @NoStore()
  @Returns(issuedApiKey, { status: 201 })
  async rotateApiKey(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: keyParams }) { clientId, keyId }: KeyParams,
    @Body({ schema: rotation }) body: Rotation,
  ) {
    const userId = requireSignedInUser(caller).id;
    const { id, text } = await this.credentials.rotateApiKey(userId, clientId, keyId, body);
    return { keyId: id, apiKey: text };
  }

  @Delete(':clientId/api-keys/:keyId')
  @UserOperation('Revoke an API key', {
    description:
      'Requests with the key are refused within seconds, and it cannot be undone. To replace a key without a gap, rotate it.',
    requiresWalletLogin: true,
    errors: KEY_ERRORS,
  })
  @ReturnsNothing()
  async revokeApiKey(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: keyParams }) { clientId, keyId }: KeyParams,
  ): Promise<void> {
    await this.credentials.revokeApiKey(requireSignedInUser(caller).id, clientId, keyId);
  }
}
