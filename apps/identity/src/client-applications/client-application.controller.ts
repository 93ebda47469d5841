import { Caller, type Principal, signedInUser } from '@app/auth';
import { Operation, type OperationOptions, Returns } from '@app/service';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import {
  clientApplication,
  type ClientApplicationAnswer,
  type ClientApplicationChange,
  clientApplicationChange,
  clientApplicationList,
  createdClientApplication,
  type NewClientApplication,
  newClientApplication,
} from './client-application.dto.js';
import {
  apiKeyList,
  type ApplicationParams,
  applicationParams,
  issuedApiKey,
  issuedClientSecret,
  type KeyParams,
  keyParams,
  type Rotation,
  rotation,
} from './credential.dto.js';
import { OwnApplications } from './own-applications.js';
import { OwnCredentials } from './own-credentials.js';
import { OwnUsage } from './own-usage.js';
import { type PlanUsage, planUsage } from './plan-usage.dto.js';
import { toApplicationAnswer, toKeyAnswer } from './to-answer.js';

const ofUser = (summary: string, more: Pick<OperationOptions, 'description' | 'conflicts'> = {}) =>
  Operation({ caller: 'user', scope: 'user:client-application:write', summary, ...more });

const NO_ROOM_FOR_KEYS = { too_many_keys: 'the plan has no room for one more API key' };

/** What is shown once must not be kept by anything on its way. */
const shownOnce = () => Header('Cache-Control', 'no-store');

/** Client applications of the signed-in user. Their scope is one that only the deployment's own portal has. */
@Controller('client-applications')
export class ClientApplicationController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly credentials: OwnCredentials,
    private readonly usage: OwnUsage,
  ) {}

  @Get()
  @ofUser("The user's client applications")
  @Returns(clientApplicationList)
  async listApplications(@Caller() caller: Principal): Promise<{ items: ClientApplicationAnswer[] }> {
    return { items: (await this.applications.list(signedInUser(caller).id)).map(toApplicationAnswer) };
  }

  @Post()
  @ofUser('Register a client application', {
    conflicts: { too_many_clients: 'the plan has no room for it', ...NO_ROOM_FOR_KEYS },
  })
  @shownOnce()
  @Returns(createdClientApplication, { status: 201 })
  async createApplication(
    @Caller() caller: Principal,
    @Body({ schema: newClientApplication }) body: NewClientApplication,
  ) {
    const { application, credentials } = await this.applications.register(signedInUser(caller).id, body);
    const { clientSecret, keyId, apiKey } = credentials;
    return {
      application: toApplicationAnswer(application),
      clientSecret: clientSecret ?? undefined,
      keyId,
      apiKey,
    };
  }

  // Before the one with an id, which would take it for one.
  @Get('usage')
  @ofUser("What the user's plan allows, what is used of it, and what was refused lately")
  @Header('Cache-Control', 'no-store')
  @Returns(planUsage)
  getUsage(@Caller() caller: Principal): Promise<PlanUsage> {
    return this.usage.of(signedInUser(caller).id);
  }

  @Get(':clientId')
  @ofUser('One client application')
  @Returns(clientApplication)
  async getApplication(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ) {
    return toApplicationAnswer(await this.applications.get(signedInUser(caller).id, clientId));
  }

  @Patch(':clientId')
  @ofUser('Change a client application')
  @Returns(clientApplication)
  async changeApplication(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: clientApplicationChange }) body: ClientApplicationChange,
  ) {
    return toApplicationAnswer(await this.applications.change(signedInUser(caller).id, clientId, body));
  }

  @Delete(':clientId')
  @ofUser('Delete a client application, with its keys, secrets and tokens')
  @HttpCode(200)
  @ApiOkResponse()
  async deleteApplication(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ): Promise<void> {
    await this.applications.remove(signedInUser(caller).id, clientId);
  }

  @Post(':clientId/secrets')
  @ofUser('Rotate the client secret', {
    description: 'Two secrets live at most: a third ends the oldest at once.',
  })
  @shownOnce()
  @Returns(issuedClientSecret, { status: 201 })
  async rotateSecret(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: rotation }) { overlapSeconds }: Rotation,
  ) {
    const userId = signedInUser(caller).id;
    const { text } = await this.credentials.rotateSecret(userId, clientId, overlapSeconds);
    return { clientSecret: text };
  }

  @Get(':clientId/api-keys')
  @ofUser('The live API keys of a client application')
  @Returns(apiKeyList)
  async listApiKeys(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ) {
    const keys = await this.credentials.listKeys(signedInUser(caller).id, clientId);
    return { items: keys.map(toKeyAnswer) };
  }

  @Post(':clientId/api-keys')
  @ofUser('One more API key', { conflicts: NO_ROOM_FOR_KEYS })
  @shownOnce()
  @Returns(issuedApiKey, { status: 201 })
  async createApiKey(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ) {
    const { id, text } = await this.credentials.createKey(signedInUser(caller).id, clientId);
    return { keyId: id, apiKey: text };
  }

  @Post(':clientId/api-keys/:keyId/rotations')
  @ofUser('Replace an API key', {
    description: 'Until the old one ends, the two of them count as one.',
    conflicts: { key_is_ending: 'it was replaced already: replace its successor' },
  })
  @shownOnce()
  @Returns(issuedApiKey, { status: 201 })
  async rotateApiKey(
    @Caller() caller: Principal,
    @Param({ schema: keyParams }) { clientId, keyId }: KeyParams,
    @Body({ schema: rotation }) { overlapSeconds }: Rotation,
  ) {
    const userId = signedInUser(caller).id;
    const { id, text } = await this.credentials.rotateKey(userId, clientId, keyId, overlapSeconds);
    return { keyId: id, apiKey: text };
  }

  @Delete(':clientId/api-keys/:keyId')
  @ofUser('Revoke an API key')
  @HttpCode(200)
  @ApiOkResponse()
  async revokeApiKey(
    @Caller() caller: Principal,
    @Param({ schema: keyParams }) { clientId, keyId }: KeyParams,
  ): Promise<void> {
    await this.credentials.revokeKey(signedInUser(caller).id, clientId, keyId);
  }
}
