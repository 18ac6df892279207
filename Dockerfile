FROM node:24.18.0-bookworm-slim AS source
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Packages run no scripts of their own: none of them needs one.
RUN npm ci --ignore-scripts --loglevel=error
COPY tsconfig.json tsconfig.build.json ./
COPY src src

# The simulated platforms, for trying and development: docker build --target sandbox
FROM source AS sandbox
USER node
EXPOSE 4001
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4001/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--import", "tsx", "src/dev/sandbox/main.ts", "--port", "4001", "--host", "0.0.0.0"]

FROM source AS build
# Of swagger-ui the service serves one script and one stylesheet, of GraphiQL it loads the ES module, and of no package it reads tests,
# source maps or declarations.
RUN npm run build && npm prune --omit=dev --ignore-scripts --loglevel=error \
  && find node_modules/swagger-ui-dist -type f ! -name package.json ! -name "*LICENSE*" ! -name NOTICE \
    ! -name swagger-ui.css ! -name swagger-ui-bundle.js -delete \
  && rm -r node_modules/@graphql-yoga/render-graphiql/cjs \
  && find node_modules -type d \( -name test -o -name tests -o -name __tests__ \) -prune -exec rm -r {} + \
  && find node_modules -type f \( -name "*.map" -o -name "*.d.ts" -o -name "*.d.mts" -o -name "*.d.cts" \) -delete

FROM node:24.18.0-bookworm-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/.compile-cache
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Fills the compile cache: a container starts a fifth sooner.
RUN node -e "Promise.all([import('/app/dist/app.js'), import('/app/dist/workers/start.js')]).then(() => process.exit())"
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# A larger young generation: 5 to 10 % less CPU time of a request for 30 MB of memory.
CMD ["node", "--max-semi-space-size=32", "dist/main.js"]
