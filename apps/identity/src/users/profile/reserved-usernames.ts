/** Usernames that nobody gets, because people would take their owner for the operator of the service, or for nobody. */
export const RESERVED_USERNAMES: ReadonlySet<string> = new Set(
  `
  about abuse account accounts admin administrator administrators admins announcement announcements anonymous api app apps assets
  audit auth authentication authorize billing blog bot bots callback chain community communities consent contact contract
  credential credentials dashboard default deleted demo dev developer developers docs documentation email everyone explorer
  faq feedback finance founder gatehouse guest help helpdesk here home hostmaster info internal invalid invite
  issuer jobs legal login logout mail mailer_daemon member members metamask mod moderator moderators news nobody noreply no_reply
  null oauth oauth2 official openid operator operators owner owners passkey passkeys password payment payments policy portal
  postmaster press privacy profile public register registration root sales security service services settings sign_in sign_out
  signin signout signup staff status superuser support sys sysadmin system team terms test tester token tokens trust
  undefined unknown user username users verified verify wallet wallets webmaster well_known www
  `
    .trim()
    .split(/\s+/),
);
