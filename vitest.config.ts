import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,extensions,apps}/**/*.test.ts'],
          exclude: ['**/{node_modules,dist,fixtures}/**'],
        },
      },
      {
        test: {
          name: 'services',
          include: ['{test,infra}/**/*.test.ts'],
          exclude: ['**/{node_modules,dist,fixtures}/**'],
          globalSetup: ['test/support/services.ts'],
          testTimeout: 60_000,
          maxWorkers: 3, // each file has a world of its own and often waits; the services are shared
          hookTimeout: 180_000, // a first start may build Temporal's server
        },
      },
    ],
  },
})
