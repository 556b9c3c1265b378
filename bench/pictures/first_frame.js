// When every picture has been drawn for the first time.
globalThis.firstFrame = new Promise((done) => {
  const look = () => {
    if (document.body?.dataset.ready !== undefined && explorer.panes.every((pane) => pane.drawn)) {
      requestAnimationFrame((time) => done(time));
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
