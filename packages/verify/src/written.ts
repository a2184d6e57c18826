/** The one written form of an address: `hall/@ann` is `@ann`, `hall` is `/hall`, and `~` the home of who uses it. Whom a list may summon is a being, so `ann` is `@ann` there. */
export function written(list: string, address: string, home: string): string {
  if (list === 'canDo' || list === 'canBe' || /^(matter|thread):/.test(address)) return address
  if (list === 'canSummon' && /^[a-z][a-z0-9-]{0,31}$/.test(address)) return `@${address}`
  if (address === '~') return home
  const being = /^(?:~\/|[a-z0-9/-]*)@([a-z][a-z0-9-]{0,31})$/.exec(address)
  if (being !== null) return `@${being[1]}`
  const path = address.replace(/^\/+/, '')
  return /^([a-z0-9][a-z0-9-]{0,63}(\/(?!$)|$))+$/.test(path) || (path === '' && address !== '')
    ? `/${path}`
    : address
}
