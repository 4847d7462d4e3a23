/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff help features`: the list of feature words. */
#include "qdiff/features.h"

#include "command/command.h"

void qd_topic_features(FILE *out)
{
    fputs("features, for --feature; facts derived from a case itself:\n", out);
    for (int i = 0; i < QD_FEATURE_COUNT; i++)
        fprintf(out, "  %-23s %s\n", qd_feature_word((enum qd_feature)i),
                qd_feature_meaning((enum qd_feature)i));
    fputs("  opset>=N                the model imports opset N of the default domain, or a newer "
          "one\n",
          out);
}
