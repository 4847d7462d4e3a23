#include <stdio.h>

#include "command.h"

int main(int argc, char **argv)
{
    return qd_command_main(argc, argv, stdout, stderr);
}
