/* The barest dynamic program: what starting any process costs. */
int main(void)
{
    return 0;
}
