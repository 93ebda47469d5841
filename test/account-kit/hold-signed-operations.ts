import type pg from 'pg';

/** What is signed from now on is not due, so that nothing sends it. @returns what ends that; what is held stays until it is due */
export async function holdSignedOperations(pool: pg.Pool): Promise<() => Promise<void>> {
  await pool.query(
    `CREATE FUNCTION account_kit.hold_signed() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN NEW.next_attempt_at := now() + interval '1 hour'; RETURN NEW; END $$;
     CREATE TRIGGER hold_signed BEFORE UPDATE ON account_kit.user_operations FOR EACH ROW
       WHEN (NEW.state = 'signed' AND NEW.kind <> 'cancellation') EXECUTE FUNCTION account_kit.hold_signed()`,
  );
  return async () => {
    await pool.query(
      'DROP TRIGGER hold_signed ON account_kit.user_operations; DROP FUNCTION account_kit.hold_signed()',
    );
  };
}
