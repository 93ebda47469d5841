import { AppError } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { profileName, profilePicture, username } from '../../users/profile/profile-fields.js';
import { type Profile, ProfileService } from '../../users/profile/profile.service.js';
import { MAX_USERNAME_CHANGES_PER_YEAR } from '../../users/profile/usernames.queries.js';
import { UsersService } from '../../users/users.service.js';
import { shortenAccount } from '../../users/wallets/wallet.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { ProfileFormView } from '../views/page-views.js';
import { type FormFields, formFields } from './application-form.js';

const PATH = 'portal/profile';
const PAGE = { title: 'Profile', section: 'profile' } as const;

/** An empty field of a form is absent. */
const profileForm = z.object({
  name: profileName.nullable().default(null),
  username: username.nullable().default(null),
  picture: profilePicture.nullable().default(null),
});

type ProfileFormResult =
  | { ok: true; profile: Profile }
  /** Validation errors by field. */
  | { ok: false; problems: Record<string, string> };

interface ProfileRefusal {
  readonly status: number;
  /** Validation errors by field. */
  readonly problems: Record<string, string>;
}

/** Statuses of the page, by the status of the error about the username. */
const STATUS_OF_REFUSALS: Partial<Record<number, number>> = { 400: 422, 409: 409 };

function parseProfileForm(fields: FormFields): ProfileFormResult {
  const filled = Object.entries(fields).filter(([, text]) => text.trim() !== '');
  const parsed = profileForm.safeParse(Object.fromEntries(filled));
  if (parsed.success) return { ok: true, profile: parsed.data };
  const problems = parsed.error.issues.map(({ path: [field], message }) => [
    String(field),
    `This ${message}.`,
  ]);
  return { ok: false, problems: Object.fromEntries(problems) as Record<string, string> };
}

/** The page on which users say what they are called. The only page with a picture of a user, who is the one that looks at it. */
@PageController(PATH)
export class ProfileController {
  constructor(
    private readonly profiles: ProfileService,
    private readonly users: UsersService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    await this.send(session, response);
  }

  @Post()
  @FormBody()
  async save(
    @CurrentSignedInSession() session: SignedInSession,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const parsed = parseProfileForm(fields);
    const refusal = parsed.ok
      ? await this.store(session.user.userId, parsed.profile)
      : { status: 422, problems: parsed.problems };
    if (refusal === undefined) {
      response.redirect(303, `/${PATH}`);
      return;
    }
    const { name = '', username: wanted = '', picture = '' } = fields;
    const { problems, status } = refusal;
    await this.send(session, response, { name, username: wanted, picture, problems }, status);
  }

  /** @returns undefined once it is saved */
  private async store(userId: string, profile: Profile): Promise<ProfileRefusal | undefined> {
    try {
      await this.profiles.save(userId, profile);
      return undefined;
    } catch (error) {
      const status = error instanceof AppError ? STATUS_OF_REFUSALS[error.statusCode] : undefined;
      if (error instanceof AppError && status !== undefined)
        return { status, problems: { username: error.message } };
      throw error;
    }
  }

  private async send(
    session: SignedInSession,
    response: Response,
    resubmitted?: ProfileFormView,
    status = 200,
  ): Promise<void> {
    const { userId, account } = session.user;
    const user = await this.users.find(userId);
    const stored = { name: user?.name ?? '', username: user?.username ?? '', picture: user?.picture ?? '' };
    // Read anew, because the session's is older than what was just saved.
    const shownName =
      user?.name ??
      user?.username ??
      session.user.shownName ??
      (account === null ? userId : shortenAccount(account));
    // What was stored before these rules existed must not reach the content security policy.
    const picture = profilePicture.safeParse(stored.picture).data;
    const view = {
      form: resubmitted ?? { ...stored, problems: {} },
      shownName,
      initial: Array.from(shownName)[0] ?? '',
      picture,
      maxChanges: MAX_USERNAME_CHANGES_PER_YEAR,
    };
    const pictureOrigin = picture === undefined ? undefined : new URL(picture).origin;
    this.pages.send(response, 'profile', view, { ...PAGE, session, status, pictureOrigin });
  }
}
