// SPDX-License-Identifier: Apache-2.0
// The data of the report, which qdiff wrote as scripts: a page opened from the file system may load nothing else.
"use strict";

const qdiff = {
  data: {},
  // Called by front.js, coverage.js, history.js and cases/N.js.
  take(name, value) {
    this.data[name] = value;
  },
  // Loads one of them unless it is here.
  async load(name, file) {
    if (!(name in this.data)) {
      await new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = file;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`${file} is missing: the whole directory of the report is needed`));
        document.head.append(script);
      });
    }
    return this.data[name];
  },
};
