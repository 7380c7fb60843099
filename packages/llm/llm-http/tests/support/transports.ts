/** Both ways to the network, as call options; every test of behaviour runs on each. */
export const transports: readonly [string, { readonly fetch?: typeof globalThis.fetch }][] = [
  ['node transport', {}],
  ['web transport', { fetch: globalThis.fetch }],
]
