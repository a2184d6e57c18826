import type { BeingName } from '@treeos/core'
import { type RawBuilder, sql } from 'kysely'

/**
 * For `with recursive`: `offspring`, a being and all that it made, at any distance, each as `being`.
 * @param of null: nothing, for whoever asks about all
 */
export const offspringOf = (of: BeingName | null): RawBuilder<unknown> => sql`offspring(being) as (
    select name from (values (${of}::text)) as first(name) where name is not null union all
    select substr(p.key, 7) from offspring o join treeos.projection p on p.parent = o.being and p.key like 'being:%'
  )`
