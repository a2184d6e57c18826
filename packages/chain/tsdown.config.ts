import { forPackage } from '../../tsdown.config.base.ts'

/** Migrations read the `.sql` files beside them, in `dist` as in `src`. */
export default { ...forPackage(), copy: { from: 'src/sql/**/*.sql', flatten: false } }
