import type { Cli } from '../cli.ts'

/** `treeos prepare` */
export function addPrepare(cli: Cli): void {
  cli.command('prepare', 'bring your own Postgres and Temporal up to date').action(
    cli.run(async (out) => {
      const { prepareServices } = await import('@treeos/worker')
      const { programs } = await import('../instance/programs.ts')
      const prepared = await prepareServices(process.env)
      const { DATABASE_URL = '', TREEOS_OWNER_DATABASE_URL: ownerUrl } = process.env
      await programs.migratePortal(ownerUrl || DATABASE_URL, (line) => out.progress(line))
      out.value(
        prepared,
        ({ reality, taskQueue }) => `the reality ${reality} is up to date; its workers poll ${taskQueue}`,
      )
    }),
  )
}
