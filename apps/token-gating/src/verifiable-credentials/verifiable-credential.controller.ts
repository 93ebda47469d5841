import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import { notFound } from '@app/common';
import { Database } from '@app/database';
import { account as accountSchema } from '@app/dto';
import { Operation, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { revokeCredentials } from '../credential-revocations/revoke-credentials.js';
import {
  findPublicCredential,
  findUserCredential,
  listPublicCredentials,
  listUserCredentials,
} from './credential-records.queries.js';
import { CredentialViews } from './holders/credential-views.js';
import {
  MAX_CREDENTIALS_PER_APPLICATION,
  MAX_CREDENTIALS_PER_USER,
  MAX_ISSUES_PER_APPLICATION_AND_DAY,
  MAX_ISSUES_PER_USER_AND_DAY,
  MAX_LISTED_CREDENTIALS,
} from './holders/credential-limits.js';
import { IssueCredentialService } from './holders/issue-credential.service.js';
import { KeyProofService } from './holders/key-proof.service.js';
import {
  accountQuery,
  credentialNonce,
  type CredentialNonce,
  credentialParams,
  type IssuedCredential,
  issuedCredential,
  type IssueRequest,
  issueRequest,
  type OwnCredential,
  ownCredential,
  type OwnCredentialList,
  ownCredentialList,
  type PublicCredential,
  publicCredential,
  type PublicCredentialList,
  publicCredentialList,
  type Verification,
  verification,
  type VerificationRequest,
  verificationRequest,
} from './verifiable-credentials.dto.js';
import { VerifyCredentialService } from './verify-credential.service.js';

const write = { caller: 'user', scope: 'user:verifiable-credential:write' } as const;
const read = { caller: 'user', scope: 'user:verifiable-credential:read' } as const;
const readPublic = { caller: 'either', scope: 'verifiable-credential:read' } as const;

/** Verifiable credentials: issued to users, looked up where public, verified for anyone. */
@Controller()
export class VerifiableCredentialController {
  constructor(
    private readonly database: Database,
    private readonly issuing: IssueCredentialService,
    private readonly proofs: KeyProofService,
    private readonly verification: VerifyCredentialService,
    private readonly views: CredentialViews,
  ) {}

  @Post('account/verifiable-credentials/nonces')
  @Operation({
    ...write,
    summary: 'Create a nonce for a proof of possession',
    description:
      'The first step of issuing: the key that will hold the credential signs a JWT with this nonce. Valid for five minutes ' +
      'and one credential.',
  })
  @Returns(credentialNonce)
  createNonce(@CurrentPrincipal() principal: Principal): CredentialNonce {
    const { nonce, expiresAt } = this.proofs.createNonce(requireSignedInUser(principal).id);
    return { nonce, expiresTime: expiresAt.toISOString() };
  }

  @Post('account/verifiable-credentials')
  @Operation({
    ...write,
    summary: 'Issue a verifiable credential',
    description:
      'An SD-JWT VC about what holds now, bound to `jwk`. `proof` is a JWT that this key signed. The account and each asset can be ' +
      'withheld when the credential is presented. A credential about a community is revoked when the membership or the role ends. ' +
      `At most ${MAX_ISSUES_PER_USER_AND_DAY} a user are issued on a UTC day, and for an application as many as it leaves: ${MAX_ISSUES_PER_APPLICATION_AND_DAY} where it is the only one.`,
    conflicts: {
      community_membership_required: 'the user is not a member of the community',
      community_role_required: 'the user does not have the role now',
      consent_required: 'the user ended the consent that the token is of, less than a minute ago',
      credential_limit_exceeded: `the user has ${MAX_CREDENTIALS_PER_USER} valid credentials, or the application asked for as many as it leaves: ${MAX_CREDENTIALS_PER_APPLICATION} where it is the only one`,
      held_assets_required: 'the account does not hold all of the assets (`details.assets` names those)',
      wallet_required: 'the user has no linked wallet',
    },
    errors: [
      '400 chain_not_supported',
      '400 proof_invalid',
      '403 account_forbidden',
      '403 approval_required',
      '403 community_suspended',
      '404 community_not_found',
      '429 credential_issue_limit_exceeded',
      '503 assets_unavailable',
      '503 credential_keys_unavailable',
      '503 identity_unavailable',
      '503 roles_unavailable',
      '503 rules_unavailable',
    ],
    example: { status: 400, reason: 'a proof needs a nonce of its own' },
  })
  @Returns(issuedCredential)
  issueCredential(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: issueRequest }) request: IssueRequest,
  ): Promise<IssuedCredential> {
    return this.issuing.issue(principal, request);
  }

  @Get('account/verifiable-credentials')
  @Operation({
    ...read,
    summary: "List the user's verifiable credentials",
    description:
      'The credentials of the signed-in user that have not expired, with what they say and whether they were revoked, newest ' +
      'first.',
  })
  @Returns(ownCredentialList)
  async listCredentials(@CurrentPrincipal() principal: Principal): Promise<OwnCredentialList> {
    const records = await listUserCredentials(
      this.database,
      requireSignedInUser(principal).id,
      MAX_LISTED_CREDENTIALS,
    );
    return { items: records.map((record) => this.views.showToUser(record)) };
  }

  @Get('account/verifiable-credentials/:id')
  @Operation({
    ...read,
    summary: 'Read a verifiable credential of the user',
    description:
      'What one credential of the signed-in user says, whether it is public, and whether it was revoked. The credential ' +
      'itself is shown once, when it is issued.',
    errors: ['404 credential_not_found'],
  })
  @Returns(ownCredential)
  async getCredential(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: credentialParams }) { id }: { id: string },
  ): Promise<OwnCredential> {
    const record = await findUserCredential(this.database, requireSignedInUser(principal).id, id);
    if (!record) throw credentialNotFound();
    return this.views.showToUser(record);
  }

  @Delete('account/verifiable-credentials/:id')
  @Operation({
    ...write,
    summary: 'Revoke a verifiable credential of the user',
    description:
      'One that the calling application asked for. Verifications see it at once, and status lists within five minutes. It cannot be undone.',
    errors: ['404 credential_not_found'],
  })
  @ReturnsNothing()
  async revokeCredential(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: credentialParams }) { id }: { id: string },
  ): Promise<void> {
    const userId = requireSignedInUser(principal).id;
    const clientId = principal.kind === 'caller' ? principal.client?.id : undefined;
    if (!(await findUserCredential(this.database, userId, id, clientId))) throw credentialNotFound();
    await revokeCredentials(this.database, userId, { id });
  }

  @Get('verifiable-credentials')
  @Operation({
    ...readPublic,
    summary: 'List the public verifiable credentials of an account',
    description: `The newest ${MAX_CREDENTIALS_PER_USER} credentials that the user of an account made public: what they say, never the credentials themselves.`,
  })
  @Returns(publicCredentialList)
  async listPublicCredentials(
    @Query({ schema: accountQuery }) { account }: { account: string },
  ): Promise<PublicCredentialList> {
    const { data } = accountSchema.safeParse(account);
    if (!data || data.family === 'user') return { items: [] };
    const chainId = data.family === 'evm' && data.chainId !== undefined ? String(data.chainId) : undefined;
    const records = await listPublicCredentials(
      this.database,
      data.address,
      chainId,
      MAX_CREDENTIALS_PER_USER,
    );
    return { items: records.map((record) => this.views.showToOthers(record)) };
  }

  @Get('verifiable-credentials/:id')
  @Operation({
    ...readPublic,
    summary: 'Read a public verifiable credential',
    description:
      'What a credential says that its user made public. It is 404 when it was revoked, has expired or is private.',
    errors: ['404 credential_not_found'],
  })
  @Returns(publicCredential)
  async getPublicCredential(
    @Param({ schema: credentialParams }) { id }: { id: string },
  ): Promise<PublicCredential> {
    const record = await findPublicCredential(this.database, id);
    if (!record) throw credentialNotFound();
    return this.views.showToOthers(record);
  }

  @Post('verifiable-credentials/verifications')
  @Operation({
    caller: 'none',
    summary: 'Verify a verifiable credential of this issuer',
    description:
      'Whether a credential is genuine, in force and held by whoever presents it. With `nonce` and `audience` the key-binding JWT must name both, and be at most five minutes old. A credential about assets ' +
      'that were sold stays valid as issued: `status` is then `outdated`. When a node does not answer, the status is 503.',
    errors: ['503 assets_unavailable', '503 credential_keys_unavailable'],
  })
  @Returns(verification)
  verifyCredential(
    @Body({ schema: verificationRequest }) request: VerificationRequest,
  ): Promise<Verification> {
    return this.verification.verify(request);
  }
}

/** The error for unknown, expired and private credentials and those of others, so that it reveals nothing. */
const credentialNotFound = () =>
  notFound('credential_not_found', 'This credential does not exist, has expired, or is not yours or public.');
